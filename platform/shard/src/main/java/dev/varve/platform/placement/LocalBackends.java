package dev.varve.platform.placement;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The device backends of this process. Each is loaded once, when it is first requested; the CPU
 * backend always loads first. One thread.
 */
public final class LocalBackends {
    /** If several GPU backends see the same hardware, the vendor's own comes first. */
    private static final List<String> PREFERRED = List.of("cuda", "hip");

    private static final String PROCESSOR = DeviceReference.PROCESSOR.backend();

    private final Map<String, DeviceBackendProvider> providers;
    private final BackendOptions options;
    private final Map<String, DeviceBackend> opened = new HashMap<>();

    /** Why backends cannot be used: a library that failed halfway is not loaded a second time. */
    private final Map<String, VarveException> failures = new HashMap<>();

    /**
     * @param providers by name
     */
    public LocalBackends(Map<String, DeviceBackendProvider> providers, BackendOptions options) {
        this.providers = Map.copyOf(providers);
        this.options = options;
    }

    /**
     * Returns the backend that {@code auto} means: the first GPU backend with a device, else the
     * CPU. A renderer that computes on CPU cores is no GPU.
     *
     * @throws VarveException of kind UNAVAILABLE if there is none, with every backend's reason
     */
    public String best() {
        StringJoiner reasons = new StringJoiner("; ", ": ", "").setEmptyValue("");
        List<String> names =
                providers.keySet().stream()
                        .filter(name -> !name.equals(PROCESSOR))
                        .sorted(
                                Comparator.comparingInt(LocalBackends::rank)
                                        .thenComparing(Comparator.naturalOrder()))
                        .toList();
        for (String name : names) {
            try {
                if (open(name).devices().stream().anyMatch(device -> !device.hostCores())) {
                    return name;
                }
                reasons.add(name + " has no device except the CPU");
            } catch (VarveException e) {
                reasons.add(e.getMessage());
            }
        }
        if (providers.containsKey(PROCESSOR)) {
            return PROCESSOR;
        }
        throw new VarveException(
                VarveException.Kind.UNAVAILABLE, "no plugin provides a usable backend" + reasons);
    }

    private static int rank(String name) {
        int place = PREFERRED.indexOf(name);
        return place < 0 ? PREFERRED.size() : place;
    }

    /** Whether a plugin of this process provides a backend. */
    public boolean provides(String backend) {
        return providers.containsKey(backend);
    }

    /**
     * Returns a backend, loaded.
     *
     * @throws VarveException of kind UNAVAILABLE if no plugin provides it, if it was built for
     *     another ggml release than the CPU backend, or if it cannot be used; the same exception
     *     every time
     */
    public DeviceBackend open(String backend) {
        DeviceBackend known = opened.get(backend);
        if (known != null) {
            return known;
        }
        VarveException failure = failures.get(backend);
        if (failure != null) {
            throw failure;
        }
        try {
            DeviceBackend fresh = load(backend);
            opened.put(backend, fresh);
            return fresh;
        } catch (VarveException e) {
            failures.put(backend, e);
            throw e;
        }
    }

    private DeviceBackend load(String backend) {
        DeviceBackendProvider provider = providers.get(backend);
        if (provider == null) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "no plugin provides device backend "
                            + backend
                            + "; available: "
                            + String.join(", ", providers.keySet().stream().sorted().toList()));
        }
        if (!backend.equals(PROCESSOR)) {
            openBase(provider);
        }
        return provider.open(options);
    }

    /** Loads the CPU backend: it contains ggml's base library, which every other backend needs. */
    private void openBase(DeviceBackendProvider provider) {
        DeviceBackendProvider processor = providers.get(PROCESSOR);
        if (processor == null) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "backend "
                            + provider.name()
                            + " needs ggml's base library, and no plugin provides backend "
                            + PROCESSOR
                            + ", which provides it");
        }
        if (!provider.ggmlVersion().equals(processor.ggmlVersion())) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "backend "
                            + provider.name()
                            + " was built for ggml "
                            + provider.ggmlVersion()
                            + ", but this process uses ggml "
                            + processor.ggmlVersion()
                            + "; a shard process with plugins of that release can use it");
        }
        open(PROCESSOR);
    }

    /**
     * Returns the properties of a device.
     *
     * @throws VarveException of kind UNAVAILABLE if it does not exist
     */
    public DeviceInfo info(DeviceReference device) {
        List<DeviceInfo> devices = open(device.backend()).devices();
        if (device.index() >= devices.size()) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "expected "
                            + (devices.size() == 1 ? "" : "one of ")
                            + devices.stream()
                                    .map(DeviceInfo::name)
                                    .collect(Collectors.joining(", "))
                            + ", found "
                            + device.device());
        }
        return devices.get(device.index());
    }

    /** Whether a backend was loaded and can be used. */
    public boolean isOpen(String backend) {
        return opened.containsKey(backend);
    }

    /** Returns the names of all devices that this process can use, in the order of backends. */
    public List<String> usable() {
        return providers.keySet().stream()
                .sorted()
                .flatMap(
                        name -> {
                            try {
                                return open(name).devices().stream().map(DeviceInfo::name);
                            } catch (VarveException e) {
                                return Stream.empty();
                            }
                        })
                .toList();
    }

    /** Whether this process can use a device. */
    public boolean isUsable(DeviceReference device) {
        try {
            info(device);
            return true;
        } catch (VarveException e) {
            return false;
        }
    }

    /** Opens a device for computing; the caller closes it. */
    public ComputeDevice openDevice(DeviceReference device, DeviceOptions deviceOptions) {
        return open(device.backend()).open(device.index(), deviceOptions);
    }
}
