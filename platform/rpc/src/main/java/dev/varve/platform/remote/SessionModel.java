package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.wire.Message;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A model that a session computes on a device of its own. For one thread. */
abstract class SessionModel implements AutoCloseable {
    private final ComputeDevice device;
    private final Collection<ComputeDevice> others;
    private final LoadedTensorDigests tensors;

    /**
     * @param device closed with the model
     */
    SessionModel(ComputeDevice device, LoadedTensorDigests tensors) {
        this(device, List.of(), tensors);
    }

    /**
     * @param device closed with the model
     * @param others further devices, which hold some of its weights; likewise
     */
    SessionModel(
            ComputeDevice device, Collection<ComputeDevice> others, LoadedTensorDigests tensors) {
        this.others = List.copyOf(others);
        this.device = device;
        this.tensors = tensors;
    }

    abstract ShardMemory memory();

    /** Returns the processors on which it computes, if that is known. */
    Collection<Integer> processors() {
        return List.of();
    }

    /** Builds the response to a load: placement and sizes; waits for the digests of the tensors. */
    final Message describe() {
        Optional<Map<String, String>> digests = tensors.await();
        FieldWriter fields = new FieldWriter();
        ResultCodec.putMemory(fields, memory());
        fields.text(device.info().description()).flag(usesHostCores());
        fields.number(processors().size());
        processors().forEach(fields::number);
        DigestCodec.put(fields, digests);
        return new Message(MessageType.LOAD, fields.done(), DigestCodec.payload(digests));
    }

    private boolean usesHostCores() {
        return device.info().hostCores()
                || others.stream().anyMatch(other -> other.info().hostCores());
    }

    @Override
    public void close() {
        others.forEach(ComputeDevice::close);
        device.close();
    }
}
