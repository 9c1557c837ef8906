package dev.varve.platform.http.serving;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Resolves names in requests to models. Order: ids, aliases, ids as a path or with the file's
 * extension, {@link #ANY}, and names that agents send by default.
 *
 * @param aliases ids by alias
 * @param strict whether unknown names resolve to no model, never to the default one
 */
public record ModelNameResolver(Map<String, String> aliases, boolean strict) {
    /** Alias for all names that resolve to nothing else. */
    public static final String ANY = "*";

    /**
     * Names of other vendors' models, which tools request by default: {@code claude-…}, {@code
     * gpt-…}, {@code chatgpt-…}, {@code codex-…}, and {@code o1}, {@code o3} and similar names,
     * also with the vendor's name as prefix.
     */
    private static final Pattern AGENTS =
            Pattern.compile(
                    "(anthropic/|openai/)?((claude|gpt|chatgpt|codex)-.*|o[1-9](-.*)?)",
                    Pattern.DOTALL);

    /** Copies the aliases. */
    public ModelNameResolver {
        aliases = Map.copyOf(aliases);
    }

    /** Returns a copy with more aliases; existing aliases take precedence. */
    public ModelNameResolver with(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(more);
        all.putAll(aliases);
        return new ModelNameResolver(all, strict);
    }

    /**
     * Returns the names of a server with a single model: unless strict, any name resolves to it,
     * since clients of local servers send names of their own.
     */
    ModelNameResolver ofOnly(String id) {
        return strict ? this : with(Map.of(ANY, id));
    }

    /** Returns a resolver without aliases that is not strict. */
    public static ModelNameResolver usual() {
        return new ModelNameResolver(Map.of(), false);
    }

    /**
     * Returns the id that a name resolves to.
     *
     * @param ids ids of all models, the default one first
     * @return the id; empty if the name resolves to none of them
     */
    Optional<String> resolve(String name, Collection<String> ids) {
        if (ids.contains(name)) {
            return Optional.of(name);
        }
        String alias = aliases.get(name);
        if (alias != null) {
            return Optional.of(alias).filter(ids::contains);
        }
        String file = name.substring(name.lastIndexOf('/') + 1).replaceFirst("\\.gguf$", "");
        if (ids.contains(file)) {
            return Optional.of(file);
        }
        if (aliases.containsKey(ANY)) {
            return Optional.of(aliases.get(ANY)).filter(ids::contains);
        }
        return strict || !AGENTS.matcher(name).matches()
                ? Optional.empty()
                : ids.stream().findFirst();
    }
}
