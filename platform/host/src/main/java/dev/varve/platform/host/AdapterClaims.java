package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.LoraAdapter;
import dev.varve.platform.shard.lora.LoraTerm;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Claims the memory of LoRA adapters that are added to a model, so that neither an adapter takes
 * memory that caches or other models will need, nor the reverse. Shards that this process cannot
 * ask about their device are left out: they compare an adapter with their free memory themselves.
 * Thread-safe.
 */
final class AdapterClaims implements AutoCloseable {
    private final OpenedModel model;
    private final Placement placement;
    private final int replicas;
    private final Optional<MemoryClaims> ledger;
    private final Function<DeviceReference, Optional<DeviceInfo>> devices;

    /** By the numbers of the adapters; guarded by this. */
    private final Map<Integer, MemoryClaims.Claim> claims = new HashMap<>();

    /**
     * @param placement of one replica
     * @param ledger claims of all models; empty if adapters need no claim
     * @param devices current properties of a device without claims; empty if they are unknown here
     */
    AdapterClaims(
            OpenedModel model,
            Placement placement,
            int replicas,
            Optional<MemoryClaims> ledger,
            Function<DeviceReference, Optional<DeviceInfo>> devices) {
        this.model = model;
        this.placement = placement;
        this.replicas = replicas;
        this.ledger = ledger;
        this.devices = devices;
    }

    /**
     * Claims the memory of an adapter on all devices.
     *
     * @throws VarveException of kind OUT_OF_MEMORY if it exceeds what the claims leave free
     */
    synchronized void claim(int number, LoraAdapter adapter) {
        if (ledger.isEmpty()) {
            return;
        }
        Map<DeviceReference, DeviceInfo> known = new HashMap<>();
        Map<DeviceReference, Long> needs = needs(number, adapter);
        needs.keySet()
                .removeIf(
                        device -> {
                            Optional<DeviceInfo> info = devices.apply(device);
                            info.ifPresent(found -> known.put(device, found));
                            return info.isEmpty();
                        });
        String purpose = adapter.file().path().getFileName() + ": its matrices";
        claims.put(number, ledger.get().claimLeft(purpose, needs, known::get));
    }

    /** Releases the memory of an adapter; does nothing if there is no claim. */
    synchronized void release(int number) {
        Optional.ofNullable(claims.remove(number)).ifPresent(MemoryClaims.Claim::close);
    }

    private Map<DeviceReference, Long> needs(int number, LoraAdapter adapter) {
        Map<DeviceReference, Long> needs = new HashMap<>();
        for (Placement.Part part : placement.parts()) {
            int copies = SplitMemoryPlan.sharesWeights(part.device()) ? 1 : replicas;
            AdaptedModel.matrices(model.adapter(), part.range(), number, adapter).entries().stream()
                    .map(TensorSelection.Entry::tensor)
                    .forEach(
                            matrix ->
                                    needs.merge(
                                            deviceOf(matrix, part),
                                            copies * matrix.bytes(),
                                            Long::sum));
        }
        return needs;
    }

    /** Returns the device of the weight, which holds the matrices too. */
    private static DeviceReference deviceOf(GgufTensor matrix, Placement.Part part) {
        return LoraTerm.weightOf(matrix.name())
                .flatMap(part.tensors()::deviceOf)
                .map(part::other)
                .orElse(part.device());
    }

    /** Releases the memory of all adapters. */
    @Override
    public synchronized void close() {
        claims.values().forEach(MemoryClaims.Claim::close);
        claims.clear();
    }
}
