package dev.varve.platform.host;

import dev.varve.api.backend.DeviceOptions;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.runtime.MemoryClaims;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where a model computes.
 *
 * @param placement devices and how the layers are shared out; {@code auto} may stand among them
 * @param threads threads for decode on a processor; empty: the physical cores that the process may
 *     use
 * @param prefillThreads threads for prefill; empty: as {@code threads}
 * @param claims what other models of this process were promised; empty where there are none
 */
@SuppressWarnings("exports") // see package-info
public record DeviceSettings(
        PlacementRequest placement,
        OptionalInt threads,
        OptionalInt prefillThreads,
        Optional<MemoryClaims> claims) {
    /** Checks that nothing is missing. */
    public DeviceSettings {
        Objects.requireNonNull(placement);
        Objects.requireNonNull(threads);
        Objects.requireNonNull(prefillThreads);
        Objects.requireNonNull(claims);
    }

    /** A model that has its devices alone. */
    public DeviceSettings(
            PlacementRequest placement, OptionalInt threads, OptionalInt prefillThreads) {
        this(placement, threads, prefillThreads, Optional.empty());
    }

    /** The best device of this process, and as many threads as it has cores. */
    public static DeviceSettings best() {
        DeviceReference best = DeviceReference.local(DeviceReference.AUTO, 0);
        return new DeviceSettings(
                PlacementRequest.single(best), OptionalInt.empty(), OptionalInt.empty());
    }

    /** The same threads on other devices. */
    public DeviceSettings with(PlacementRequest other) {
        return new DeviceSettings(other, threads, prefillThreads, claims);
    }

    /** The same devices beside other models. */
    public DeviceSettings with(MemoryClaims others) {
        return new DeviceSettings(placement, threads, prefillThreads, Optional.of(others));
    }

    /** The same devices with a number of threads for decode and prefill. */
    public DeviceSettings withThreads(int count) {
        return new DeviceSettings(placement, OptionalInt.of(count), OptionalInt.empty(), claims);
    }

    /** Whether prefill and decode have the same threads. */
    boolean phasesAreAlike() {
        return prefillThreads.isEmpty() || prefillThreads.equals(threads);
    }

    /**
     * How a device is opened.
     *
     * @param cores whether another process computes on the same cores
     */
    DeviceOptions options(CpuCoreSharing cores) {
        return new DeviceOptions(threads, prefillThreads, cores == CpuCoreSharing.SHARED);
    }
}
