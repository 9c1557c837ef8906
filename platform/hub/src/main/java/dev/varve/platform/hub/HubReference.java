package dev.varve.platform.hub;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model in a repository of a hub: {@code owner/name} or {@code owner/name:quant}.
 *
 * @param quant quantisation such as {@code Q4_K_M}, in any case, or a file name without {@code
 *     .gguf}; empty for the default
 */
public record HubReference(String owner, String name, Optional<String> quant) {
    private static final String PART = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,95})";
    private static final Pattern FORM =
            Pattern.compile("(" + PART + ")/(" + PART + ")(?::([A-Za-z0-9][\\w.+-]{0,199}))?");

    /**
     * Parses a reference.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public static HubReference parse(String text) {
        Matcher form = FORM.matcher(text);
        // A hub does not allow these in names; in a folder of the cache they would be ambiguous.
        if (!form.matches() || text.contains("..") || text.contains("--")) {
            throw new IllegalArgumentException(
                    "expected a model of the form owner/repository or owner/repository:quant, such"
                            + " as Qwen/Qwen3-0.6B-GGUF:Q8_0, found "
                            + text);
        }
        return new HubReference(form.group(1), form.group(2), Optional.ofNullable(form.group(3)));
    }

    /** Repository without the quantisation, {@code owner/name}. */
    public String repository() {
        return owner + "/" + name;
    }

    /** Returns the reference with a quantisation. */
    public HubReference withQuant(String other) {
        return new HubReference(owner, name, Optional.of(other));
    }

    @Override
    public String toString() {
        return repository() + quant.map(given -> ":" + given).orElse("");
    }
}
