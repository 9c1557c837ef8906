package dev.varve.platform.host;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.vision.ImageEncoder;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.OpenedModel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A projector file, as its provider reads it.
 *
 * @param file the file
 * @param type its projector type
 * @param encoder its image encoder
 */
@SuppressWarnings("exports") // see package-info
public record ProjectorFile(GgufFile file, String type, ImageEncoder encoder) {
    private static final String ARCHITECTURE = "clip";
    private static final String ENDING = ".gguf";

    /**
     * Opens a file.
     *
     * @throws VarveException of kind UNSUPPORTED_MODEL if it is no projector for images, or no
     *     plugin provides its type; of other kinds if it cannot be read
     */
    public static ProjectorFile open(Path path, PluginCatalog catalog) {
        return of(GgufFile.open(path), catalog);
    }

    /**
     * Opens a file whose header was read.
     *
     * @throws VarveException like {@link #open}
     */
    static ProjectorFile of(GgufFile file, PluginCatalog catalog) {
        Path path = file.path();
        GgufMetadata keys = file.metadata();
        String architecture = keys.findString("general.architecture").orElse("none");
        if (!architecture.equals(ARCHITECTURE)) {
            throw unsupported(path, "architecture " + architecture + " is no projector");
        }
        if (!keys.findBool("clip.has_vision_encoder").orElse(false)) {
            throw unsupported(path, "the projector has no image encoder");
        }
        String type =
                keys.findString("clip.projector_type")
                        .or(() -> keys.findString("clip.vision.projector_type"))
                        .orElseThrow(
                                () ->
                                        new ModelFormatException(
                                                path,
                                                "clip.projector_type",
                                                "a projector type",
                                                "no such key"));
        return new ProjectorFile(file, type, catalog.imageEncoder(type, path).open(file));
    }

    private static VarveException unsupported(Path path, String reason) {
        return new VarveException(
                VarveException.Kind.UNSUPPORTED_MODEL, path.getFileName() + ": " + reason);
    }

    /**
     * Checks that the rows fit a model.
     *
     * @throws VarveException of kind INVALID_REQUEST that names both
     */
    void requireFits(OpenedModel model) {
        String architecture = model.file().architecture();
        if (!encoder.architectures().contains(architecture)) {
            throw mismatch(
                    "projector "
                            + type
                            + " is for models of "
                            + encoder.architectures().stream().sorted().toList()
                            + ", and the model is of "
                            + architecture);
        }
        int width = model.shape().embeddingLength();
        if (encoder.width() != width) {
            throw mismatch(
                    "its rows have "
                            + encoder.width()
                            + " elements, and those of "
                            + model.file().path().getFileName()
                            + " have "
                            + width
                            + "; use the projector of the same model");
        }
    }

    /** Whether a file is a projector whose rows do not fit a model. */
    static boolean isOfAnother(Path path, PluginCatalog catalog, OpenedModel model) {
        try {
            ProjectorFile projector = open(path, catalog);
            return !projector.encoder().architectures().contains(model.file().architecture())
                    || projector.encoder().width() != model.shape().embeddingLength();
        } catch (VarveException e) {
            // It may be of this model; a start with it reports the fault.
            return false;
        }
    }

    private VarveException mismatch(String reason) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                Setting.MMPROJ + ": " + file.path().getFileName() + ": " + reason);
    }

    /** Bytes of the encoder's weights. */
    long weightBytes() {
        return encoder.tensors().entries().stream()
                .mapToLong(entry -> entry.tensor().bytes())
                .sum();
    }

    /**
     * Returns the projectors beside a model: files that are called {@code mmproj} in some way.
     *
     * @throws VarveException of kind UNREADABLE_FILE if the folder cannot be listed
     */
    public static List<Path> beside(Path model) {
        Path folder = model.toAbsolutePath().getParent();
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(ProjectorFile::isNamedLikeOne).sorted().toList();
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    folder + ": cannot list the folder: " + FileErrors.reason(e),
                    e);
        }
    }

    private static boolean isNamedLikeOne(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return name.contains("mmproj") && name.endsWith(ENDING);
    }
}
