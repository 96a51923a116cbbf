"""How much of the answers can be predicted from the questions' text alone: ``askew audit``.

labelled_texts     groups or questions → questions and pairs with their labels, per test, sampled by content
text_classifier    words and word pairs as sparse columns; cross-validated logistic regression with folds by image,
                   the best rule with one feature, and the most revealing features with examples
text_audit         all of it for each test and answer type, with intervals
label_sample       a sample of labels for people to judge, and the label noise from their judgements
audit_table        the result as a table for the terminal and for Markdown
"""
