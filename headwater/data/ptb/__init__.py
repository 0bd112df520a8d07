"""The words of the Penn Treebank, as language models read them."""

ON_DEMAND = ("models.rnn.ptb.reader",)
