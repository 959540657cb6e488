import torch

capability = torch.cuda.get_device_capability()
if capability is None:
    pass
same = device0.compute_capability != device1.compute_capability
new = capability >= (8, 0)
#     ^~~~~~~~~~~~~~~~~~~~ warning python-device-capability
