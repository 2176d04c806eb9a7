"""How strong perceptrons get, by which training, after how many games."""
