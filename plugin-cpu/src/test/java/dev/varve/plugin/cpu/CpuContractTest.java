package dev.varve.plugin.cpu;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.contracts.DeviceBackendContract;

import java.nio.file.Path;
import java.util.Optional;

/** The processor is always there. */
class CpuContractTest extends DeviceBackendContract {
    @Override
    protected DeviceBackendProvider provider() {
        return new CpuBackendProvider();
    }

    /** The libraries that the other tests of this process use; a process loads one base. */
    @Override
    protected BackendOptions options(Path cacheFolder) {
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        return new BackendOptions(cacheFolder, Optional.of(natives), false);
    }

    /** It is this backend that brings the base. */
    @Override
    protected void loadBase() {}
}
