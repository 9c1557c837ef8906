package dev.varve.plugin.hip;

import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.contracts.DeviceBackendContract;

/** Skipped, but for what needs no device, where no HIP build of ggml is installed. */
class HipContractTest extends DeviceBackendContract {
    @Override
    protected DeviceBackendProvider provider() {
        return new HipBackendProvider();
    }
}
