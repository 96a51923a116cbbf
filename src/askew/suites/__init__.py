"""Published evaluations: how groups are made from data, what is measured, and the tables that come out."""
