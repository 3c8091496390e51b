"""Bundled default embedder: multilingual-e5-small in 8 bits on onnxruntime.

The vocabulary is pruned to Korean and English.
weights (the file as it ships) → graph (as ONNX) → convert (once, into the models folder) → encoder
(loaded) → runtime.
"""
