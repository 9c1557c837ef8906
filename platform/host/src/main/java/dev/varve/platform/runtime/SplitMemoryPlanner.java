package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.KvSlotSpan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/** Computes a {@link SplitMemoryPlan}: shards that use the same memory must fit it together. */
final class SplitMemoryPlanner {
    /** A memory, and the shards that use it. */
    private static final class Memory {
        private final List<Integer> parts = new ArrayList<>();
        private long free = Long.MAX_VALUE;

        /** Bytes reserved for other uses than shards. */
        private long reserved;

        /** Bytes of weights of shards on other devices, by the line that describes them. */
        private final Map<String, Long> others = new LinkedHashMap<>();

        /** Bytes for shards with their layers here. */
        private long left() {
            return free - reserved - others.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    private final LayerSplitAdapter model;
    private final Placement placement;
    private final Function<DeviceReference, DeviceInfo> devices;
    private final ModelSettings settings;
    private final List<DeviceInfo> infos = new ArrayList<>();
    private final List<List<OtherDeviceMemory>> others = new ArrayList<>();
    private final Map<String, Memory> memories = new LinkedHashMap<>();
    private final Optional<Memory> host;

    SplitMemoryPlanner(
            LayerSplitAdapter model,
            Placement placement,
            Function<DeviceReference, DeviceInfo> devices,
            ModelSettings settings) {
        this.model = model;
        this.placement = placement;
        this.devices = devices;
        this.settings = settings;
        for (Placement.Part part : placement.parts()) {
            DeviceInfo info = devices.apply(part.device());
            Memory memory =
                    memories.computeIfAbsent(
                            SplitMemoryPlan.memoryOf(part.device(), info), name -> new Memory());
            memory.parts.add(infos.size());
            memory.free = Math.min(memory.free, info.memoryFreeBytes());
            infos.add(info);
        }
        placement.parts().forEach(part -> others.add(others(part)));
        host = host();
    }

    /** Counts the weights of a part on other devices. */
    private List<OtherDeviceMemory> others(Placement.Part part) {
        List<OtherDeviceMemory> found = new ArrayList<>();
        for (String name : part.tensors().others()) {
            DeviceReference device = part.other(name);
            DeviceInfo info = devices.apply(device);
            OtherDeviceMemory other =
                    new OtherDeviceMemory(
                            device,
                            SplitMemoryPlan.memoryOf(device, info),
                            RangeMemory.elsewhere(
                                    model, part.range(), part.tensors(), name, settings),
                            info.memoryFreeBytes());
            Memory memory = memories.computeIfAbsent(other.memory(), unknown -> new Memory());
            memory.free = Math.min(memory.free, info.memoryFreeBytes());
            memory.others.put(
                    other.describe(part.toString()),
                    other.needOfAll(settings.replicas()).totalBytes());
            found.add(other);
        }
        return found;
    }

    /**
     * Returns the host's memory for the cache and pages; empty if neither is configured or its size
     * is unknown.
     */
    private Optional<Memory> host() {
        if (settings.hostCache() instanceof HostCacheLimit.Disabled && settings.pool().isEmpty()) {
            return Optional.empty();
        }
        if (!memories.containsKey(SplitMemoryPlan.HOST)) {
            Memory memory = new Memory();
            try {
                memory.free = devices.apply(DeviceReference.PROCESSOR).memoryFreeBytes();
            } catch (VarveException e) {
                // No shard uses the processor's backend, so the plugin may be missing.
                return Optional.empty();
            }
            memories.put(SplitMemoryPlan.HOST, memory);
        }
        Memory found = memories.get(SplitMemoryPlan.HOST);
        found.reserved = settings.hostCache().reservedBytes();
        return Optional.of(found);
    }

    /** Returns the plan, or fails as {@link SplitMemoryPlan#of}. */
    SplitMemoryPlan plan() {
        ModelShape shape = model.shape();
        PoolPlan pool =
                settings.pool()
                        .map(asked -> PoolPlanner.of(asked, shape, settings, poolMemories()))
                        .orElse(PoolPlan.NONE);
        ModelSettings sized = sized(pool);
        List<RangeMemory> needs = needs(sized);
        long affordable = Long.MAX_VALUE;
        for (Memory memory : memories.values()) {
            affordable = Math.min(affordable, affordableSlots(memory, needs));
        }
        int slots = RangeMemory.slots(shape, sized, affordable);
        List<SplitMemoryPlan.Part> parts = new ArrayList<>();
        for (int i = 0; i < needs.size(); i++) {
            long free = infos.get(i).memoryFreeBytes();
            // The part of one replica; the need of all is counted where it must fit.
            parts.add(
                    new SplitMemoryPlan.Part(
                            placement.parts().get(i),
                            needs.get(i).plan(shape, sized, slots, free),
                            SplitMemoryPlan.memoryOf(
                                    placement.parts().get(i).device(), infos.get(i)),
                            others.get(i)));
        }
        memories.values()
                .forEach(memory -> requireFits(memory, parts, affordableSlots(memory, needs)));
        HostCachePlan cache = hostCache(parts);
        return new SplitMemoryPlan(
                parts,
                cache,
                pool.isPresent() ? pool.with(pages(pool, needs, parts, cache)) : pool,
                settings.replicas());
    }

    private List<RangeMemory> needs(ModelSettings sized) {
        List<RangeMemory> needs = new ArrayList<>();
        for (int i = 0; i < infos.size(); i++) {
            Placement.Part part = placement.parts().get(i);
            needs.add(RangeMemory.of(model, part.range(), part.tensors(), infos.get(i), sized));
        }
        return needs;
    }

    /** Returns the room of each memory for pools, which does not depend on their size. */
    private List<PoolPlanner.PoolMemory> poolMemories() {
        List<RangeMemory> needs = needs(settings.withPool(Optional.empty()));
        return memories.values().stream()
                .map(
                        memory -> {
                            RangeMemory sum = sum(memory, needs);
                            return new PoolPlanner.PoolMemory(
                                    memory.left() - sum.weightBytes() - sum.stateBytes(),
                                    sum.bytesPerSlot());
                        })
                .toList();
    }

    private ModelSettings sized(PoolPlan pool) {
        return settings.withPool(
                pool.options()
                        .flatMap(
                                options ->
                                        settings.pool()
                                                .map(asked -> asked.sized(options.poolTokens()))));
    }

    /**
     * Returns the host memory for pages of the shards on this machine; other hosts use their own.
     */
    private PoolPlan.HostPageMemory pages(
            PoolPlan pool,
            List<RangeMemory> needs,
            List<SplitMemoryPlan.Part> parts,
            HostCachePlan cache) {
        int pooled = pool.options().orElseThrow().poolTokens();
        long tokens =
                (long) Math.max(0, pool.contextTokens() - pooled)
                        * settings.sequences().parallel()
                        * settings.replicas();
        long perToken = 0;
        for (int i = 0; i < needs.size(); i++) {
            if (SplitMemoryPlan.isHere(placement.parts().get(i).device())) {
                perToken += needs.get(i).bytesPerSlot();
            }
        }
        return new PoolPlan.HostPageMemory(
                Math.multiplyExact(tokens, perToken),
                host.stream()
                        .mapToLong(memory -> memory.free - needed(memory, parts) - cache.bytes())
                        .findFirst());
    }

    private HostCachePlan hostCache(List<SplitMemoryPlan.Part> parts) {
        OptionalLong left =
                host.stream().mapToLong(memory -> memory.free - needed(memory, parts)).findFirst();
        long bytes = settings.hostCache().bytes(left);
        return bytes == 0 ? HostCachePlan.NONE : new HostCachePlan(bytes, left);
    }

    /** Returns the need of the shards of all replicas. */
    private RangeMemory sum(Memory memory, List<RangeMemory> needs) {
        RangeMemory sum = new RangeMemory(0, 0, 0, 0, 0);
        for (int part : memory.parts) {
            RangeMemory need =
                    needs.get(part)
                            .replicated(
                                    settings.replicas(),
                                    SplitMemoryPlan.sharesWeights(
                                            placement.parts().get(part).device()));
            sum =
                    new RangeMemory(
                            sum.weightBytes() + need.weightBytes(),
                            sum.bytesPerSlot() + need.bytesPerSlot(),
                            0,
                            sum.stateBytes() + need.stateBytes(),
                            sum.computeBytes() + need.computeBytes());
        }
        return sum;
    }

    private long affordableSlots(Memory memory, List<RangeMemory> needs) {
        return sum(memory, needs).affordableSlots(memory.left());
    }

    private long needed(Memory memory, List<SplitMemoryPlan.Part> parts) {
        SplitMemoryPlan all =
                new SplitMemoryPlan(parts, HostCachePlan.NONE, PoolPlan.NONE, settings.replicas());
        return memory.parts.stream()
                        .mapToLong(part -> all.needOfAll(parts.get(part)).totalBytes())
                        .sum()
                + memory.others.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * @param affordable number of KV slots that fit into this memory; the maximum if it has none
     */
    private void requireFits(Memory memory, List<SplitMemoryPlan.Part> parts, long affordable) {
        long sum = needed(memory, parts) + memory.reserved;
        if (sum <= memory.free) {
            return;
        }
        List<String> needs = new ArrayList<>();
        memory.parts.forEach(part -> needs.add(parts.get(part).describe().getFirst()));
        needs.addAll(memory.others.keySet());
        if (memory.reserved > 0) {
            needs.add("host cache " + ByteCount.format(memory.reserved));
        }
        if (settings.replicas() > 1) {
            needs.add(Setting.REPLICAS + ": " + settings.replicas());
        }
        String together =
                needs.size() == 1 && memory.reserved == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                "; together %s of %s free",
                                ByteCount.format(sum),
                                ByteCount.format(memory.free));
        throw new VarveException(
                VarveException.Kind.OUT_OF_MEMORY,
                String.join("; ", needs)
                        + together
                        + MemoryPlan.DOES_NOT_FIT
                        + (memory.reserved > 0 ? ", or a smaller " + Setting.CACHE_RAM : "")
                        + fitting(affordable));
    }

    /** Names the largest KV cache that fits; nothing if the cache is not what does not fit. */
    private static String fitting(long affordable) {
        long tokens = affordable / KvSlotSpan.BLOCK * KvSlotSpan.BLOCK;
        return affordable == Long.MAX_VALUE || tokens == 0
                ? ""
                : "; a KV cache of " + tokens + " tokens fits";
    }
}
