package dev.varve.platform.runtime;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.DeviceReference;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * What the models of this process were promised of each memory. Pools and caches are touched long
 * after they were planned, so what a device calls free is not what another model may have.
 * Thread-safe.
 */
public final class MemoryClaims {
    /** One memory, by the name that {@link SplitMemoryPlan#memoryOf} gives it. */
    private static final class Memory {
        /** What was free when nobody had a claim. */
        private long baseBytes;

        private long claimedBytes;
    }

    private final Map<String, Memory> memories = new HashMap<>();

    /** What a model was promised, until it is closed; closing again does nothing. */
    public static final class Claim implements AutoCloseable {
        private final MemoryClaims claims;
        private Map<String, Long> bytes;

        private Claim(MemoryClaims claims, Map<String, Long> bytes) {
            this.claims = claims;
            this.bytes = Map.copyOf(bytes);
        }

        /** Gives it back. */
        @Override
        public void close() {
            synchronized (claims) {
                bytes.forEach((name, count) -> claims.memory(name).claimedBytes -= count);
                bytes = Map.of();
            }
        }
    }

    /** Nobody was promised anything. */
    public MemoryClaims() {}

    /** Facts about a device, in which what others were promised is not free. */
    public synchronized DeviceInfo left(DeviceReference device, DeviceInfo info) {
        Memory memory = memory(SplitMemoryPlan.memoryOf(device, info));
        if (memory.claimedBytes == 0) {
            memory.baseBytes = info.memoryFreeBytes();
        }
        long promised = Math.max(0, memory.baseBytes - memory.claimedBytes);
        return new DeviceInfo(
                info.name(),
                info.description(),
                info.memoryTotalBytes(),
                Math.min(info.memoryFreeBytes(), promised),
                info.hostCores());
    }

    /**
     * Promises what a plan needs.
     *
     * @param devices facts about the devices of the plan, which were asked for by way of {@link
     *     #left}
     */
    public synchronized Claim claim(
            SplitMemoryPlan plan, Function<DeviceReference, DeviceInfo> devices) {
        Map<String, Long> bytes = new HashMap<>();
        for (SplitMemoryPlan.Part part : plan.parts()) {
            DeviceReference device = part.where().device();
            bytes.merge(
                    SplitMemoryPlan.memoryOf(device, devices.apply(device)),
                    plan.needOfAll(part).totalBytes(),
                    Long::sum);
        }
        bytes.merge(SplitMemoryPlan.HOST, plan.hostCache().bytes(), Long::sum);
        return claim(bytes);
    }

    /**
     * Promises what something else needs.
     *
     * @param needs bytes by device
     * @param devices facts about these, likewise
     */
    public synchronized Claim claim(
            Map<DeviceReference, Long> needs, Function<DeviceReference, DeviceInfo> devices) {
        Map<String, Long> bytes = new HashMap<>();
        needs.forEach(
                (device, count) ->
                        bytes.merge(
                                SplitMemoryPlan.memoryOf(device, devices.apply(device)),
                                count,
                                Long::sum));
        return claim(bytes);
    }

    private Claim claim(Map<String, Long> bytes) {
        bytes.forEach((name, count) -> memory(name).claimedBytes += count);
        return new Claim(this, bytes);
    }

    private Memory memory(String name) {
        return memories.computeIfAbsent(name, unknown -> new Memory());
    }
}
