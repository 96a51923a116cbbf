"""The collection service: people try to fool a model with questions about an image, others verify (Li et al. 2021).

This is the protocol of Adversarial VQA without the web: who may write and verify what, and when. ``protocol``
has its rules, ``writing`` and ``verifying`` take questions and answers, ``freeze`` ends a round, and ``release`` writes
the files. ``docs/collect-internals.md`` lists the states, the invariants and what enforces each of them.
"""
