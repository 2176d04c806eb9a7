"""Trainings for UNO: the linear policy, perceptrons and the network."""
