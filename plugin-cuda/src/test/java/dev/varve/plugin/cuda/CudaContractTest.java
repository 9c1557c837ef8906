package dev.varve.plugin.cuda;

import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.contracts.DeviceBackendContract;

/** Skipped, but for what needs no device, where there is no NVIDIA driver. */
class CudaContractTest extends DeviceBackendContract {
    @Override
    protected DeviceBackendProvider provider() {
        return new CudaBackendProvider();
    }
}
