"""Makes Varve's demo models: a corpus, a tokenizer, training, export and evaluation."""
