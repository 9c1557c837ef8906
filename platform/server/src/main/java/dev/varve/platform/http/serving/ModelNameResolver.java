package dev.varve.platform.http.serving;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which model a request means by a name. An id means its model, before everything else; then come
 * the aliases, then ids as a path or with their file's ending, then {@link #ANY}, then the names
 * that agents send without being asked.
 *
 * @param aliases ids by the names that stand for them
 * @param strict whether other names mean no model
 */
public record ModelNameResolver(Map<String, String> aliases, boolean strict) {
    /** Alias that stands for all names that mean nothing else. */
    public static final String ANY = "*";

    /**
     * Models of others, for which tools ask by default: {@code claude-…}, {@code gpt-…}, {@code
     * chatgpt-…}, {@code codex-…}, and {@code o1}, {@code o3} and their like, also behind the name
     * of their vendor.
     */
    private static final Pattern AGENTS =
            Pattern.compile(
                    "(anthropic/|openai/)?((claude|gpt|chatgpt|codex)-.*|o[1-9](-.*)?)",
                    Pattern.DOTALL);

    /** Copies the aliases. */
    public ModelNameResolver {
        aliases = Map.copyOf(aliases);
    }

    /** The same and more aliases, but for names that mean something already. */
    public ModelNameResolver with(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(more);
        all.putAll(aliases);
        return new ModelNameResolver(all, strict);
    }

    /**
     * The names of a server that has one model and never another: unless they are strict any name
     * means it, since clients of local servers send names of their own.
     */
    ModelNameResolver ofOnly(String id) {
        return strict ? this : with(Map.of(ANY, id));
    }

    /** No aliases, and not strict. */
    public static ModelNameResolver usual() {
        return new ModelNameResolver(Map.of(), false);
    }

    /**
     * The id that a name means.
     *
     * @param ids of all models, the default one first
     * @return empty if it means none of them
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
