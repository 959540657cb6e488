import torch
print torch.version.cuda
