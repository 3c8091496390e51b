"""The bundled default embedder: multilingual-e5-small, pruned to Korean and English, in 8 bits on
onnxruntime.

weights (the file as it ships) → graph (as ONNX) → convert (once, into the models folder) → encoder
(loaded) → runtime.
"""
