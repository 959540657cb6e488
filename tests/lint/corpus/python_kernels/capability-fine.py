import torch

if torch.version.hip is None and torch.version.cuda:
    big = torch.cuda.get_device_capability() >= (9, 0)
