package dev.varve.testkit.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/** Loads the product and its fakes once more, as code that can be simulated. */
final class SimulatedLoader extends ClassLoader {
    private static final String OWN = "dev.varve.";
    private static final String CORE = SimulatedLoader.class.getPackageName();

    /** All runs of a JVM share the loaded classes. */
    private static final SimulatedLoader LOADER = new SimulatedLoader();

    private final SimulatedCode code = new SimulatedCode(this::bytes, getParent());

    private SimulatedLoader() {
        super("simulated", SimulatedLoader.class.getClassLoader());
    }

    /** A scenario, by the name of its class. */
    static Scenario scenario(String name) {
        try {
            var constructor = Class.forName(name, true, LOADER).getDeclaredConstructor();
            constructor.setAccessible(true);
            return (Scenario) constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(name, e);
        }
    }

    private Optional<byte[]> bytes(String internalName) {
        if (!internalName.startsWith("dev/varve/")) {
            return Optional.empty();
        }
        try (InputStream in = getParent().getResourceAsStream(internalName + ".class")) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OWN) || isCore(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            return known != null ? known : define(name);
        }
    }

    private static boolean isCore(String name) {
        return name.startsWith(CORE) && name.lastIndexOf('.') == CORE.length();
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] original =
                bytes(name.replace('.', '/')).orElseThrow(() -> new ClassNotFoundException(name));
        byte[] simulated = code.simulated(original);
        return defineClass(name, simulated, 0, simulated.length);
    }
}
