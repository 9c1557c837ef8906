package dev.varve.bench;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.plugin.cpu.CpuBackendProvider;

import java.util.List;
import java.util.Optional;

/** The processor, opened once: a model and its draft model compute on the same threads. */
final class OneProcessor implements DeviceBackendProvider {
    private final DeviceBackendProvider provider = new CpuBackendProvider();
    private Optional<ComputeDevice> device = Optional.empty();

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public String ggmlVersion() {
        return provider.ggmlVersion();
    }

    @Override
    public DeviceBackend open(BackendOptions options) {
        DeviceBackend backend = provider.open(options);
        return new DeviceBackend() {
            @Override
            public List<DeviceInfo> devices() {
                return backend.devices();
            }

            @Override
            public ComputeDevice open(int index, DeviceOptions how) {
                if (device.isEmpty()) {
                    device = Optional.of(backend.open(index, how));
                }
                return device.get();
            }
        };
    }

    /** The processor as it was opened, or with so many threads if it was not yet. */
    ComputeDevice device(BackendOptions options, DeviceOptions how) {
        return device.orElseGet(() -> open(options).open(0, how));
    }
}
