"""The playground: a local page where one queries a model about an image and sees how perturbed questions change its
answers.
"""
