package dev.varve.platform.host;

import dev.varve.api.backend.DeviceOptions;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.runtime.MemoryClaims;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Devices of a model and their threads.
 *
 * @param placement devices and the split of the layers; may contain {@code auto}
 * @param threads threads for decode on a processor; empty: the physical cores that the process may
 *     use
 * @param prefillThreads threads for prefill; empty: as {@code threads}
 * @param claims memory that other models of this process have claimed; empty if there are none
 * @param oldestMeasurement time from which on stored measurements of devices are used
 * @param fits whether a model that does not fit as requested is placed otherwise
 */
@SuppressWarnings("exports") // see package-info
public record DeviceSettings(
        PlacementRequest placement,
        OptionalInt threads,
        OptionalInt prefillThreads,
        Optional<MemoryClaims> claims,
        Instant oldestMeasurement,
        boolean fits) {
    /** Checks that nothing is missing. */
    public DeviceSettings {
        Objects.requireNonNull(placement);
        Objects.requireNonNull(threads);
        Objects.requireNonNull(prefillThreads);
        Objects.requireNonNull(claims);
        Objects.requireNonNull(oldestMeasurement);
    }

    /** Creates settings for a model that shares its devices with no other model. */
    public DeviceSettings(
            PlacementRequest placement, OptionalInt threads, OptionalInt prefillThreads) {
        this(placement, threads, prefillThreads, Optional.empty(), Instant.MIN, false);
    }

    /** Returns the best device of this process, with as many threads as it has cores. */
    public static DeviceSettings best() {
        DeviceReference best = DeviceReference.local(DeviceReference.AUTO, 0);
        return new DeviceSettings(
                PlacementRequest.single(best), OptionalInt.empty(), OptionalInt.empty());
    }

    /** Returns a copy with the same threads on other devices. */
    public DeviceSettings with(PlacementRequest other) {
        return new DeviceSettings(other, threads, prefillThreads, claims, oldestMeasurement, fits);
    }

    /** Returns a copy that respects the claims of other models. */
    public DeviceSettings with(MemoryClaims others) {
        return new DeviceSettings(
                placement, threads, prefillThreads, Optional.of(others), oldestMeasurement, fits);
    }

    /** Returns a copy with a number of threads for decode and prefill. */
    public DeviceSettings withThreads(int count) {
        return new DeviceSettings(
                placement,
                OptionalInt.of(count),
                OptionalInt.empty(),
                claims,
                oldestMeasurement,
                fits);
    }

    /** Returns a copy that ignores measurements of devices from before a time. */
    public DeviceSettings measuredSince(Instant time) {
        return new DeviceSettings(placement, threads, prefillThreads, claims, time, fits);
    }

    /** Returns a copy that places a model that does not fit otherwise than requested. */
    public DeviceSettings fitting() {
        return new DeviceSettings(
                placement, threads, prefillThreads, claims, oldestMeasurement, true);
    }

    /** Whether prefill and decode use the same number of threads. */
    boolean phasesAreAlike() {
        return prefillThreads.isEmpty() || prefillThreads.equals(threads);
    }

    /**
     * Returns the options with which a device is opened.
     *
     * @param cores whether another process computes on the same cores
     */
    DeviceOptions options(CpuSharingMode cores) {
        return new DeviceOptions(threads, prefillThreads, cores == CpuSharingMode.SHARED);
    }
}
