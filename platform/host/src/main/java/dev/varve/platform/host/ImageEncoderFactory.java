package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.vision.ImageAttention;
import dev.varve.api.vision.ImageInput;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.remote.FileReference;
import dev.varve.platform.remote.ImageEncoderLoadRequest;
import dev.varve.platform.remote.RemoteImageEncoder;
import dev.varve.platform.remote.TensorCheck;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.image.EncoderPace;
import dev.varve.platform.shard.image.ImageRowEncoder;
import dev.varve.platform.shard.image.LocalImageEncoder;

import java.security.MessageDigest;
import java.time.Duration;
import java.util.function.Consumer;

/** Opens the image encoder of a model. */
final class ImageEncoderFactory {
    private final ImageSettings settings;
    private final ProjectorFile projector;
    private final DeviceReference device;
    private final ImageInput input;

    /**
     * @param model the model that its rows enter
     * @param request devices of the model
     * @throws VarveException of kind INVALID_REQUEST if the projector does not fit the model
     */
    ImageEncoderFactory(
            ImageSettings settings,
            ProjectorFile projector,
            OpenedModel model,
            PlacementRequest request) {
        projector.requireFits(model);
        this.settings = settings;
        this.projector = projector;
        device = settings.device().orElseGet(() -> usual(request));
        input = limited(projector.encoder().input());
    }

    private static DeviceReference usual(PlacementRequest request) {
        DeviceReference first = request.devices().getFirst();
        return first.isLocal() ? first : DeviceReference.PROCESSOR;
    }

    private ImageInput limited(ImageInput given) {
        boolean onProcessor = device.backend().equals(DeviceReference.PROCESSOR.backend());
        int usual =
                onProcessor
                        ? Math.min(given.maxTokens(), ImageSettings.PROCESSOR_TOKENS)
                        : given.maxTokens();
        int most = settings.maxTokens().orElse(Math.min(usual, mostTogether()));
        requireOneBatch(most);
        int least = settings.minTokens().orElse(Math.min(given.minTokens(), most));
        if (least < 1 || most < least) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.IMAGE_TOKENS
                            + ": expected at least the "
                            + least
                            + " tokens to which small images are enlarged, found "
                            + most);
        }
        return given.withTokens(least, most);
    }

    /** Most tokens of an image whose tokens attend to one another, which one batch computes. */
    private int mostTogether() {
        return projector.encoder().attention() == ImageAttention.CAUSAL
                ? Integer.MAX_VALUE
                : ImageSettings.BATCH_TOKENS;
    }

    private void requireOneBatch(int most) {
        if (most > mostTogether()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.IMAGE_TOKENS
                            + ": the tokens of an image attend to one another in models of "
                            + projector.file().path().getFileName()
                            + ", so that one batch has to compute all of them: at most "
                            + mostTogether()
                            + ", found "
                            + most);
        }
    }

    /** Returns the memory needs. */
    ImageMemoryPlan plan() {
        return new ImageMemoryPlan(
                projector.file().path(),
                device,
                projector.weightBytes(),
                input.maxTokens(),
                projector.encoder().computeBytes(input.maxTokens()));
    }

    /**
     * Loads the encoder.
     *
     * @param devices devices of this process, and the way to others
     * @param maxGap longest time that streams should wait for it
     * @throws VarveException if the device has not enough memory, or its process cannot be reached
     */
    ModelImages open(DraftDevices devices, Duration maxGap, Consumer<String> notes) {
        ImageRowEncoder encoder =
                device.isLocal() ? local(devices, maxGap) : remote(devices, maxGap);
        notes.accept(
                "image input: "
                        + projector.file().path().getFileName()
                        + " ("
                        + projector.type()
                        + ") at "
                        + device
                        + ", images of up to "
                        + input.maxTokens()
                        + " tokens");
        return new ModelImages(encoder, input, settings.limits(), identity());
    }

    private ImageRowEncoder local(DraftDevices devices, Duration maxGap) {
        ComputeDevice opened = devices.local().apply(device);
        return new LocalImageEncoder(
                projector.encoder(),
                opened,
                EncoderPace.of(opened, maxGap),
                LoadProgressListener.silent());
    }

    private ImageRowEncoder remote(DraftDevices devices, Duration maxGap) {
        try {
            ImageEncoderLoadRequest request =
                    new ImageEncoderLoadRequest(
                            FileReference.of(projector.file()),
                            devices.remote().apply(device),
                            maxGap.dividedBy(2));
            return RemoteImageEncoder.open(
                    projector.encoder(),
                    device.toString(),
                    devices.links().to(device),
                    request,
                    new TensorCheck(devices.digests(), projector.encoder().tensors()));
        } catch (VarveException e) {
            throw new VarveException(
                    e.kind(),
                    Setting.MMPROJ_DEVICE + ": image encoder on " + device + ": " + e.getMessage(),
                    e);
        }
    }

    /**
     * Cached prefixes on disk outlive this process, so that the identity is that of the content.
     */
    private byte[] identity() {
        MessageDigest digest = Sha256.begin();
        ModelFingerprint.add(digest, projector.file());
        return digest.digest();
    }
}
