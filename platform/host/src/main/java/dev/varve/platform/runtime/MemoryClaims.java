package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Claims of the models of this process on each memory. Pools and caches are allocated or touched
 * long after planning, so the free memory that a device reports may already be claimed by another
 * model. Thread-safe.
 */
public final class MemoryClaims {
    /** One memory, by its name from {@link SplitMemoryPlan#memoryOf}. */
    private static final class Memory {
        /** Free bytes when there was no claim. */
        private long baseBytes;

        private long claimedBytes;
    }

    private final Map<String, Memory> memories = new HashMap<>();

    /** Claim of a model, until it is closed; closing again does nothing. */
    public static final class Claim implements AutoCloseable {
        private final MemoryClaims claims;
        private Map<String, Long> bytes;

        private Claim(MemoryClaims claims, Map<String, Long> bytes) {
            this.claims = claims;
            this.bytes = Map.copyOf(bytes);
        }

        /** Releases the claim. */
        @Override
        public void close() {
            synchronized (claims) {
                bytes.forEach((name, count) -> claims.memory(name).claimedBytes -= count);
                bytes = Map.of();
            }
        }
    }

    /** Creates an object without claims. */
    public MemoryClaims() {}

    /** Returns the properties of a device with the free memory reduced by the claims. */
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
     * Claims the memory of a plan.
     *
     * @param devices properties of the plan's devices, obtained through {@link #left}
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
        for (SplitMemoryPlan.Part part : plan.parts()) {
            part.others()
                    .forEach(
                            other ->
                                    bytes.merge(
                                            other.memory(),
                                            other.needOfAll(plan.replicas()).totalBytes(),
                                            Long::sum));
        }
        bytes.merge(SplitMemoryPlan.HOST, plan.hostCache().bytes(), Long::sum);
        return claim(bytes);
    }

    /**
     * Claims memory for other purposes.
     *
     * @param needs bytes by device
     * @param devices properties of these devices, likewise
     */
    public synchronized Claim claim(
            Map<DeviceReference, Long> needs, Function<DeviceReference, DeviceInfo> devices) {
        return claim(byMemory(needs, devices));
    }

    private static Map<String, Long> byMemory(
            Map<DeviceReference, Long> needs, Function<DeviceReference, DeviceInfo> devices) {
        Map<String, Long> bytes = new HashMap<>();
        needs.forEach(
                (device, count) ->
                        bytes.merge(
                                SplitMemoryPlan.memoryOf(device, devices.apply(device)),
                                count,
                                Long::sum));
        return bytes;
    }

    /**
     * Claims memory for a part of a model that runs, if the claims leave so much free.
     *
     * @param purpose what needs it, in the plural, for the message
     * @param needs bytes by device
     * @param devices current properties of these devices, without claims
     * @throws VarveException of kind OUT_OF_MEMORY if they do not
     */
    public synchronized Claim claimLeft(
            String purpose,
            Map<DeviceReference, Long> needs,
            Function<DeviceReference, DeviceInfo> devices) {
        Map<String, Long> bytes = byMemory(needs, devices);
        for (DeviceReference device : needs.keySet()) {
            DeviceInfo info = devices.apply(device);
            long need = bytes.get(SplitMemoryPlan.memoryOf(device, info));
            long left = left(device, info).memoryFreeBytes();
            if (need > left) {
                throw new VarveException(
                        VarveException.Kind.OUT_OF_MEMORY,
                        String.format(
                                Locale.ROOT,
                                "%s need %s on %s, found %s that models and caches leave free; a"
                                        + " smaller %s or %s leaves more",
                                purpose,
                                ByteCount.format(need),
                                info.name(),
                                ByteCount.format(left),
                                Setting.CONTEXT_TOKENS,
                                Setting.CACHE_RAM));
            }
        }
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
