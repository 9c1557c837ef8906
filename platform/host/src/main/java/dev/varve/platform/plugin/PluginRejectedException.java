package dev.varve.platform.plugin;

import java.lang.module.FindException;
import java.lang.module.InvalidModuleDescriptorException;
import java.lang.module.ResolutionException;
import java.util.Locale;
import java.util.zip.ZipException;

/** Signals why an entry of the plugins folder cannot be used; never leaves this package. */
final class PluginRejectedException extends Exception {
    private static final long serialVersionUID = 1L;

    PluginRejectedException(String reason) {
        super(reason);
    }

    PluginRejectedException(String reason, Throwable cause) {
        super(reason, cause);
    }

    /**
     * Creates the exception for plugin code that threw an unexpected exception.
     *
     * @param provider its class
     * @param when the operation that failed
     */
    static PluginRejectedException codeFails(Class<?> provider, String when, Throwable problem) {
        return new PluginRejectedException(
                String.format(
                        Locale.ROOT,
                        "its code fails: %s of module %s %s: %s",
                        provider.getName(),
                        provider.getModule().getName(),
                        when,
                        reasonOf(problem)),
                problem);
    }

    /** Rethrows errors of the virtual machine, such as a lack of memory. */
    static void rethrowIfOfTheMachine(Throwable problem) {
        if (isOfTheMachine(problem)) {
            throw (VirtualMachineError) problem;
        }
    }

    /**
     * Whether a problem is an error of the virtual machine and not of the plugin; an endless
     * recursion counts as the plugin's.
     */
    static boolean isOfTheMachine(Throwable problem) {
        return problem instanceof VirtualMachineError && !(problem instanceof StackOverflowError);
    }

    /** Returns the message of the deepest cause that has one, without line breaks. */
    static String reasonOf(Throwable problem) {
        String reason = problem.toString();
        for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null && !cause.getMessage().isBlank()) {
                reason =
                        switch (cause) {
                            case ZipException e -> "not a jar: " + e.getMessage();
                            case InvalidModuleDescriptorException e ->
                                    "damaged module descriptor: " + e.getMessage();
                            case FindException e -> e.getMessage();
                            case ResolutionException e -> e.getMessage();
                            case LayerInstantiationException e -> e.getMessage();
                            default -> cause.getClass().getSimpleName() + ": " + cause.getMessage();
                        };
            }
        }
        return reason.strip().replaceAll("\\s+", " ");
    }
}
