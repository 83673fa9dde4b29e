"""From records to what they mean, without I/O and without judgement: the running turn, files, jobs, failures, references."""
