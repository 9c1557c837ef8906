package dev.varve.platform.plugin;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * How the names of a provider are read and what they must look like.
 *
 * <p>They are read once, when the plugin is loaded, so that a provider that fails to give them is
 * refused and not met later.
 */
@FunctionalInterface
interface ProviderNameReader<T> {
    /**
     * The provider's names, at least one, in alphabetical order.
     *
     * @throws PluginRejectedException if there are none, or one is not as it should be
     */
    List<String> of(T provider) throws PluginRejectedException;

    /** Names that come from elsewhere, model files for example: any text. */
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

    /** Names that people type before a colon, at least one. */
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

    /** One name, which people type before a colon. */
    static <T> ProviderNameReader<T> oneWord(String what, Function<T, String> read) {
        return provider -> {
            String name = read.apply(provider);
            if (name == null || !name.matches("[a-z][a-z0-9_-]*")) {
                throw new PluginRejectedException(
                        provider.getClass().getName()
                                + ": expected a "
                                + what
                                + " of small letters and digits, found "
                                + name);
            }
            return List.of(name);
        };
    }
}
