"""Sources of the generated corpus; each module offers streams of conversations, documents or questions."""
