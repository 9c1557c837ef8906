package dev.varve.platform.check;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import java.nio.ByteBuffer;

/** Memory of a device that copies are measured with. */
interface CopyMemory extends AutoCloseable {
    /** Copies from the host. */
    void write(ByteBuffer source);

    /** Copies to the host. */
    void read(ByteBuffer target);

    /** Copies everything to memory of the same size. */
    void copyTo(CopyMemory target);

    @Override
    void close();

    /**
     * Allocates memory on a device.
     *
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY if it has not enough
     */
    static CopyMemory of(ComputeDevice device, int bytes) {
        GgmlContext context = GgmlContext.open(1, 0);
        try {
            Tensor tensor = context.newTensor(GgmlType.F32, bytes / Float.BYTES);
            return new OfTensor(
                    context, context.allocate(device.bufferType()).orElseThrow(), tensor);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    /** A tensor of its own. */
    record OfTensor(GgmlContext context, DeviceBuffer buffer, Tensor tensor) implements CopyMemory {
        @Override
        public void write(ByteBuffer source) {
            tensor.writeBytes(source.duplicate(), 0);
        }

        @Override
        public void read(ByteBuffer target) {
            tensor.readBytes(target.duplicate(), 0);
        }

        @Override
        public void copyTo(CopyMemory target) {
            tensor.copyTo(((OfTensor) target).tensor);
        }

        @Override
        public void close() {
            buffer.close();
            context.close();
        }
    }
}
