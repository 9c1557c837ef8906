package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.image.EncoderPace;
import dev.varve.platform.shard.image.LocalImageEncoder;
import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/** Image encoder of a session: translates between its messages and the encoder. For one thread. */
final class HostedImageEncoder extends SessionModel {
    private final LocalImageEncoder encoder;
    private final ImageRowsCodec codec;

    private HostedImageEncoder(
            LocalImageEncoder encoder, ComputeDevice device, LoadedTensorDigests tensors) {
        super(device, tensors);
        this.encoder = encoder;
        codec = new ImageRowsCodec(encoder.encoder().width());
    }

    /**
     * Loads the encoder.
     *
     * @throws VarveException if the file is missing or differs from the server's, is no projector,
     *     or memory is insufficient
     */
    static HostedImageEncoder open(
            ImageEncoderLoadRequest request, ShardResources host, LoadProgressListener progress) {
        GgufFile file = host.projector(request.projector().name());
        FileReference mine = FileReference.of(file);
        request.projector().requireAlike(mine);
        ImageEncoder encoder = host.imageEncoder(file);
        ComputeDevice device = host.open(request.device().name(), request.device().options());
        try {
            LoadedTensorDigests tensors =
                    LoadedTensorDigests.of(
                            encoder.tensors(),
                            request.projector().hasSameFile(mine),
                            host,
                            progress);
            EncoderPace pace = EncoderPace.of(device, request.turn().multipliedBy(2));
            return new HostedImageEncoder(
                    new LocalImageEncoder(encoder, device, pace, tensors.progress()),
                    device,
                    tensors);
        } catch (RuntimeException | Error e) {
            device.close();
            throw e;
        }
    }

    @Override
    ShardMemory memory() {
        return new ShardMemory(encoder.weightBytes(), 0, 0, 0);
    }

    /**
     * Computes the rows of an image.
     *
     * @param cancelled whether the server cancelled the request
     * @param progress accepts the number of finished parts, of an unknown number
     */
    Message encode(Message request, BooleanSupplier cancelled, LoadProgressListener progress) {
        LoadProgressListener signs = new ThrottledProgress(progress);
        long[] parts = {0};
        try {
            return codec.encode(
                    encoder.encode(
                            codec.pixels(request),
                            () -> {
                                signs.loaded(parts[0]++, parts[0]);
                                return cancelled.getAsBoolean();
                            }));
        } catch (CancellationException e) {
            throw new WireException(
                    WireErrorCode.CANCELLED, WireException.Retry.WORTHWHILE, e.getMessage());
        }
    }

    @Override
    public void close() {
        encoder.close();
        super.close();
    }
}
