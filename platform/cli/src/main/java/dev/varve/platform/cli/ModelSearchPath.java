package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Folders in which models are found. */
final class ModelSearchPath {
    /** Environment variable with a folder of models. */
    static final String VARIABLE = "VARVE_MODELS";

    private static final Pattern PART = Pattern.compile("(.*)-\\d{5}-of-(\\d{5}\\.gguf)");

    private ModelSearchPath() {}

    /** Returns the folders of {@code --models}, or else that of {@link #VARIABLE}, if set. */
    static List<Path> given(List<Path> options, Environment environment) {
        return options.isEmpty()
                ? environment.variable(VARIABLE).map(Path::of).stream().toList()
                : options;
    }

    /**
     * Returns the models of a folder by name; of a split model the first part that exists.
     *
     * @throws VarveException of kind UNREADABLE_FILE if the folder does not exist or cannot be read
     */
    static List<Path> models(Path folder) {
        TextFile.requireFolder("--models", folder);
        try (Stream<Path> files = Files.list(folder)) {
            TreeMap<String, Path> models = new TreeMap<>();
            files.filter(file -> file.toString().endsWith(".gguf"))
                    .sorted()
                    .forEach(file -> models.putIfAbsent(withoutPart(file), file));
            return List.copyOf(models.values());
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    "--models: " + folder + " cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }

    /** Returns the API name of a model: its file name without part number and extension. */
    static String id(Path file) {
        return file.getFileName().toString().replaceFirst("(-\\d{5}-of-\\d{5})?\\.gguf$", "");
    }

    private static String withoutPart(Path file) {
        String name = file.getFileName().toString();
        Matcher part = PART.matcher(name);
        return part.matches() ? part.group(1) + "-of-" + part.group(2) : name;
    }
}
