"""What memd costs, measured: `python -m benchmarks NAME` prints a table and writes benchmarks/results/NAME.json."""
