package dev.varve.platform.plugin;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * Reads and checks the names of a provider.
 *
 * <p>Names are read once, when the plugin is loaded, so that a provider that fails to return them
 * is rejected then and does not fail later.
 */
@FunctionalInterface
interface ProviderNameReader<T> {
    /**
     * Returns the provider's names, at least one, in alphabetical order.
     *
     * @throws PluginRejectedException if there are none, or one is invalid
     */
    List<String> of(T provider) throws PluginRejectedException;

    /**
     * Returns a reader for names that come from elsewhere, for example from model files: any text.
     */
    static <T> ProviderNameReader<T> anyText(String what, Function<T, Collection<String>> read) {
        return provider -> {
            Collection<String> names = read.apply(provider);
            if (names == null
                    || names.isEmpty()
                    || names.stream().anyMatch(name -> name == null || name.isBlank())) {
                throw new PluginRejectedException(
                        provider.getClass().getName() + " names no " + what);
            }
            return names.stream().sorted().toList();
        };
    }

    /** Returns a reader for names that users type before a colon, at least one. */
    static <T> ProviderNameReader<T> words(String what, Function<T, Collection<String>> read) {
        return provider -> {
            Collection<String> names = read.apply(provider);
            if (names == null || names.isEmpty()) {
                throw new PluginRejectedException(
                        provider.getClass().getName() + " names no " + what);
            }
            for (String name : names) {
                ProviderNameReader.<T>oneWord(what, any -> name).of(provider);
            }
            return names.stream().sorted().toList();
        };
    }

    /** Returns a reader for one name that users type before a colon. */
    static <T> ProviderNameReader<T> oneWord(String what, Function<T, String> read) {
        return provider -> {
            String name = read.apply(provider);
            if (name == null || !name.matches("[a-z][a-z0-9_-]*")) {
                throw new PluginRejectedException(
                        provider.getClass().getName()
                                + ": expected a "
                                + what
                                + " of lower-case letters and digits, found "
                                + name);
            }
            return List.of(name);
        };
    }
}
