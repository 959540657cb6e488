import torch

major, minor = torch.cuda.get_device_capability()
old = torch.cuda.get_device_capability() < (8, 0)
#     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ warning python-device-capability
new = major >= 9
#     ^~~~~~~~~~ warning python-device-capability
other = old == new
if torch.version.cuda is None:
#  ^~~~~~~~~~~~~~~~~~ warning torch-version-cuda
    raise RuntimeError
