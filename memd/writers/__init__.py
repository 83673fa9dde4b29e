"""Who writes a checkpoint: `extractive` from structure alone; a model's own judgement is another writer of the same shape."""
