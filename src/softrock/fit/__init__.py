"""Which cards hold a language model: its weights, cache and overhead against each card's memory (``softrock fit``)."""
