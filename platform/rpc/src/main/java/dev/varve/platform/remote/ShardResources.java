package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.platform.content.TensorDigests;

import java.util.List;

/** Resources of a shard process: devices, model files and families. Thread-safe. */
public interface ShardResources {
    /** Devices that servers may use. */
    List<DeviceInfo> devices();

    /**
     * Opens a device, which the caller closes.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if servers may not use it or it
     *     cannot be used
     */
    ComputeDevice open(String device, DeviceOptions options);

    /**
     * Finds a model file by its name.
     *
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if it is not among the files and
     *     folders that this process may serve
     */
    GgufFile model(String name);

    /**
     * Finds a LoRA adapter by its file name. By default it is found as a model is.
     *
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if it is not among the files and
     *     folders that this process may serve
     */
    default GgufFile lora(String name) {
        return model(name);
    }

    /**
     * Finds all files that may be a LoRA adapter, by their file name: folders may have several of
     * one name. By default there is one.
     *
     * @return at least one
     * @throws dev.varve.api.VarveException as {@link #lora}
     */
    default List<GgufFile> loras(String name) {
        return List.of(lora(name));
    }

    /**
     * Finds a projector by its file name. By default it is found as an adapter is.
     *
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if it is not among the files and
     *     folders that this process may serve
     */
    default GgufFile projector(String name) {
        return lora(name);
    }

    /** Returns the object that computes and stores digests of the model files' tensors. */
    TensorDigests digests();

    /**
     * Opens the image encoder of a projector file. By default there is none.
     *
     * @throws dev.varve.api.VarveException of kind UNSUPPORTED_MODEL if it is no projector, or no
     *     plugin provides its type
     */
    default ImageEncoder imageEncoder(GgufFile file) {
        throw new VarveException(
                VarveException.Kind.UNSUPPORTED_MODEL,
                file.path().getFileName() + ": this shard encodes no images");
    }

    /** Returns the family's adapter of the model. */
    LayerSplitAdapter adapter(GgufFile file, ModelOptions options);
}
