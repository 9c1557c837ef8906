package dev.varve.platform.cli;

import java.nio.file.Files;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A value of {@code --model}: a model, and optionally its name in the API.
 *
 * @param name text before {@code =}
 */
record NamedModel(Optional<String> name, ModelChoice choice) {
    private static final Pattern NAMED =
            Pattern.compile("([A-Za-z0-9][\\w.:@+/-]*)=(.+)", Pattern.DOTALL);

    /**
     * Parses a value. An existing file with {@code =} in its name is that file.
     *
     * @throws UsageException if the value is not a model reference
     * @throws dev.varve.api.VarveException of kind UNREADABLE_FILE if a demo model is missing
     */
    static NamedModel of(ModelReference given, Environment environment) {
        Optional<Matcher> named = named(given);
        return new NamedModel(
                named.map(form -> form.group(1)),
                choice(named.map(form -> reference(form.group(2))).orElse(given), environment));
    }

    /** Returns the model of a value without its name. */
    static ModelReference reference(ModelReference given) {
        return named(given).map(form -> reference(form.group(2))).orElse(given);
    }

    private static Optional<Matcher> named(ModelReference given) {
        // In a path, the second slash of a URL is lost.
        return given instanceof ModelReference.OfFile(var path) && !Files.exists(path)
                ? Optional.of(NAMED.matcher(path.toString().replaceFirst("(=https?:/)", "$1/")))
                        .filter(Matcher::matches)
                : Optional.empty();
    }

    private static ModelChoice choice(ModelReference reference, Environment environment) {
        return new ModelChoice(reference, reference.file(environment), true);
    }

    private static ModelReference reference(String text) {
        try {
            return ModelReference.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--model: " + e.getMessage());
        }
    }

    /** Name in the API: the given one, or the file's without its extension. */
    String id() {
        return name.orElseGet(() -> ModelSearchPath.id(choice.file()));
    }

    /** Unambiguous names beside its id that clients may use. */
    Map<String, String> meanings(String id) {
        return choice.reference() instanceof ModelReference.OfDemo(DemoModel demo)
                ? Map.of(demo.reference(), id)
                : Map.of();
    }

    boolean isDemo() {
        return choice.isDemo();
    }
}
