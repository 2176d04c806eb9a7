"""Studies of UNO: rules, contests, skill, searches and perceptrons."""
