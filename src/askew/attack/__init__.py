"""Automatic attacks on the question's text: goal · constraints · proposals · search, and recipes that join them.

An attack is an :class:`askew.attack.recipe.Attack`; ``recipes.py`` has one function per paper. This stage knows no
model: ``engine/attack.py`` runs the searches, applies the constraints and asks the model.
"""
