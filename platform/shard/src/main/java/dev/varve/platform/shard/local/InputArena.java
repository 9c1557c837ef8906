package dev.varve.platform.shard.local;

import dev.varve.api.backend.InputUpload;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Memory for the inputs of a decode graph on a device with its own memory: a block on the device,
 * and two blocks of host memory with the same layout, from which the device copies directly. A step
 * writes its inputs into one of them, which goes to the device in one copy; while the device
 * computes, the inputs of the next step are written into the other one. For one thread.
 */
final class InputArena implements AutoCloseable {
    private static final int SIDES = 2;
    private static final long LEAST_BYTES = 4096;

    private final BufferType deviceType;
    private final BufferType hostType;
    private final long alignment;

    /** The block on the device, then those on the host; of equal size. */
    private final List<DeviceBuffer> blocks = new ArrayList<>();

    /** The placed inputs of one graph. */
    private static final class Layout implements AutoCloseable {
        final GgmlContext context;
        final Tensor device;
        final Tensor[] host = new Tensor[SIDES];
        final List<Map<Tensor, Tensor>> copies = new ArrayList<>();

        Layout(GgmlContext context, long bytes) {
            this.context = context;
            device = context.newTensor(GgmlType.I8, bytes).named("inputs");
            for (int side = 0; side < SIDES; side++) {
                host[side] = context.newTensor(GgmlType.I8, bytes).named("host inputs");
                copies.add(new HashMap<>());
            }
        }

        @Override
        public void close() {
            context.close();
        }
    }

    private Layout layout;
    private int side;

    InputArena(GgmlDevice device) {
        deviceType = device.bufferType();
        hostType = device.hostBufferType();
        alignment = Math.max(deviceType.alignment(), hostType.alignment());
    }

    /**
     * Places the inputs of a graph, in place of those of the graph before.
     *
     * @param inputs without data
     */
    void place(List<Tensor> inputs) {
        removeLayout();
        // A shard of recurrent layers alone may have no inputs.
        long bytes = Math.max(alignment, inputs.stream().mapToLong(this::paddedBytes).sum());
        provide(bytes);
        layout = new Layout(GgmlContext.open((SIDES + 1) * (inputs.size() + 1), 0), bytes);
        blocks.getFirst().place(layout.device, 0);
        for (int each = 0; each < SIDES; each++) {
            blocks.get(1 + each).place(layout.host[each], 0);
        }
        long offset = 0;
        for (Tensor input : inputs) {
            blocks.getFirst().place(input, offset);
            for (int each = 0; each < SIDES; each++) {
                Tensor copy =
                        layout.context
                                .newTensor(
                                        input.type(),
                                        input.ne(0),
                                        input.ne(1),
                                        input.ne(2),
                                        input.ne(3))
                                .named(input.name());
                blocks.get(1 + each).place(copy, offset);
                layout.copies.get(each).put(input, copy);
            }
            offset += paddedBytes(input);
        }
    }

    private long paddedBytes(Tensor input) {
        long bytes = Math.max(deviceType.allocationSize(input), hostType.allocationSize(input));
        return Math.ceilDiv(bytes, alignment) * alignment;
    }

    /** Allocates larger blocks if the present ones are too small. */
    private void provide(long bytes) {
        if (!blocks.isEmpty() && blocks.getFirst().size() >= bytes) {
            return;
        }
        freeBlocks();
        // Doubled, because masks grow with the sequence.
        long size = Math.max(LEAST_BYTES, 2 * bytes);
        try {
            blocks.add(deviceType.allocate(size));
            for (int each = 0; each < SIDES; each++) {
                DeviceBuffer block = hostType.allocate(size);
                blocks.add(block);
                block.clear();
            }
        } catch (RuntimeException | Error e) {
            freeBlocks();
            throw e;
        }
    }

    /** Bytes on the device. */
    long bytes() {
        return blocks.isEmpty() ? 0 : blocks.getFirst().size();
    }

    /** Returns the host's copy of an input, which the next {@link #upload} copies to the device. */
    Tensor host(Tensor input) {
        return layout.copies.get(side).get(input);
    }

    /**
     * Returns the copy of all inputs to the device, and selects the other host block for the next
     * step.
     *
     * @param hostWork host work that runs while the device computes; may write the inputs of the
     *     next step
     */
    InputUpload upload(Runnable hostWork) {
        Tensor source = layout.host[side];
        side = (side + 1) % SIDES;
        return new InputUpload(source, layout.device, hostWork);
    }

    private void removeLayout() {
        if (layout != null) {
            layout.close();
            layout = null;
        }
    }

    private void freeBlocks() {
        blocks.forEach(DeviceBuffer::close);
        blocks.clear();
    }

    @Override
    public void close() {
        removeLayout();
        freeBlocks();
    }
}
