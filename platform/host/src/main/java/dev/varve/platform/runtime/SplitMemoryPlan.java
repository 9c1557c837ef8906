package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.paging.ResidentPoolMemory;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.shard.CacheCapacities;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Memory plan of a model on all its devices. All shards have KV caches with the same number of
 * slots, so the device with the least room is the limit.
 *
 * @param parts in layer order, of one replica
 * @param hostCache host memory for cached prefixes of all replicas, beside the parts
 * @param pool how the attention cache of sequences is bounded
 * @param replicas number of engines with such parts
 */
public record SplitMemoryPlan(
        List<Part> parts, HostCachePlan hostCache, PoolPlan pool, int replicas) {
    /** Name of the memory that the processor's cores use. */
    static final String HOST = "host";

    /**
     * The memory of one shard.
     *
     * @param memory includes the free memory of the shard's device, without deducting other shards
     *     on it
     * @param name name of the device's memory; parts with the same name share it
     * @param others memory of its weights on other devices
     */
    public record Part(
            Placement.Part where, MemoryPlan memory, String name, List<OtherDeviceMemory> others) {
        /** Copies the list. */
        public Part {
            others = List.copyOf(others);
        }

        /** Returns a line for the device of the layers, and one for each other device. */
        public List<String> describe() {
            List<String> lines = new ArrayList<>();
            lines.add(memory.describe(where.toString()));
            others.forEach(other -> lines.add(other.describe(where.toString())));
            return lines;
        }
    }

    /** Copies the parts. */
    public SplitMemoryPlan {
        parts = List.copyOf(parts);
        Objects.requireNonNull(hostCache);
        Objects.requireNonNull(pool);
    }

    /**
     * Computes the plan of a placement.
     *
     * @param devices properties of each device, by its reference
     * @throws VarveException of kind OUT_OF_MEMORY with the sums of each device if it does not fit,
     *     INVALID_REQUEST if a setting contradicts the model
     */
    public static SplitMemoryPlan of(
            LayerSplitAdapter model,
            Placement placement,
            Function<DeviceReference, DeviceInfo> devices,
            ModelSettings settings) {
        return new SplitMemoryPlanner(model, placement, devices, settings).plan();
    }

    /**
     * Returns the name of the memory that a device uses. All devices that compute on the
     * processor's cores share its memory, in any process of this machine.
     */
    public static String memoryOf(DeviceReference device, DeviceInfo info) {
        if (!isHere(device)) {
            return device.toString();
        }
        return info.hostCores() ? HOST : device.device();
    }

    /** Whether a device belongs to this machine. */
    static boolean isHere(DeviceReference device) {
        return !(device.site() instanceof ProcessLocation.Listening(var address))
                || address.startsWith("unix:");
    }

    /**
     * Returns the memory of a device that is free for shards, whatever their number. An automatic
     * pool is sized from the free memory beyond a reserve, so the reserve is excluded: otherwise
     * shards could use it up and leave no pool.
     */
    public static long memoryForShards(
            DeviceReference device, DeviceInfo info, ModelSettings settings) {
        long reserved =
                memoryOf(device, info).equals(HOST) ? settings.hostCache().reservedBytes() : 0;
        if (settings.pool().filter(RequestedPaging::isAutomatic).isPresent()) {
            reserved += ResidentPoolMemory.RESERVE_BYTES;
        }
        return Math.max(0, info.memoryFreeBytes() - reserved);
    }

    /** Returns the need of the shards of all replicas at one part. */
    MemoryNeed needOfAll(Part part) {
        return part.memory().need().replicated(replicas, sharesWeights(part.where().device()));
    }

    /**
     * Whether shards of one range on a device share one copy of the weights: those in this process
     * do.
     */
    public static boolean sharesWeights(DeviceReference device) {
        return device.isLocal();
    }

    /** Returns the sums of all shards, with the free memory of all devices, each counted once. */
    public MemoryPlan total() {
        MemoryPlan first = parts.getFirst().memory();
        MemoryNeed need = MemoryNeed.NONE;
        Map<String, Long> free = new HashMap<>();
        int region = 0;
        for (Part part : parts) {
            MemoryPlan memory = part.memory();
            need = need.plus(memory.need());
            free.merge(part.name(), memory.availableBytes(), Math::min);
            for (OtherDeviceMemory other : part.others()) {
                need = need.plus(other.need());
                free.merge(other.memory(), other.availableBytes(), Math::min);
            }
            region = Math.max(region, memory.capacities().regionSlots());
        }
        return new MemoryPlan(
                first.contextTokens(),
                new CacheCapacities(
                        first.capacities().slots(),
                        first.capacities().stateRows(),
                        region,
                        first.capacities().rollbackBuffers()),
                need,
                free.values().stream().mapToLong(Long::longValue).sum());
    }

    /** Returns the bytes of the shards of all replicas. */
    public long bytesOfAll() {
        return parts.stream()
                .mapToLong(part -> needOfAll(part).totalBytes() + othersOfAll(part))
                .sum();
    }

    private long othersOfAll(Part part) {
        return part.others().stream()
                .mapToLong(other -> other.needOfAll(replicas).totalBytes())
                .sum();
    }

    /** Returns the need of all replicas, for messages; empty if there is one. */
    public Optional<String> describeReplicas() {
        if (replicas == 1) {
            return Optional.empty();
        }
        boolean shared = parts.stream().allMatch(part -> sharesWeights(part.where().device()));
        boolean none = parts.stream().noneMatch(part -> sharesWeights(part.where().device()));
        String weights =
                shared
                        ? "one copy of the weights"
                        : none ? "separate weights" : "separate weights in other processes";
        return Optional.of(
                String.format(
                        Locale.ROOT,
                        "%d replicas of that, with %s: together %s",
                        replicas,
                        weights,
                        ByteCount.format(bytesOfAll())));
    }

    /**
     * Returns one line per shard for messages, one for the host cache, and one for bounded caches.
     */
    public String describe() {
        return Stream.of(
                        parts.stream().flatMap(part -> part.describe().stream()),
                        describeReplicas().stream(),
                        Stream.of(hostCache)
                                .filter(HostCachePlan::isPresent)
                                .map(HostCachePlan::describe),
                        pool.describe().stream())
                .flatMap(Function.identity())
                .collect(Collectors.joining("\n"));
    }
}
