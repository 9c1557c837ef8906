package dev.varve.platform.plugin;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.event.CacheListener;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.snapshot.SharedStore;
import dev.varve.api.snapshot.SnapshotStore;
import dev.varve.api.telemetry.TraceExporter;
import dev.varve.platform.shard.PluginProxyHandler;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;

/**
 * Guards calls from the server to the code of one provider. Results, {@link VarveException} and
 * declared exceptions pass, as the SPI allows them. Any other exception of a plugin becomes a
 * {@link VarveException} that names the plugin and the called method, and keeps the cause.
 *
 * <p>Objects that a provider opens are guarded too: models, devices and all objects of optional
 * work (stores, listeners, exporters). If such a method declares an {@link IOException}, a fault of
 * the plugin becomes one, since callers handle that: a full disk and a faulty store have the same
 * consequences. Calls that happen for every token or packet (devices, connections) are not guarded.
 */
final class PluginCalls implements PluginProxyHandler {
    private static final Set<Class<?>> OPENED =
            Set.of(
                    LayerSplitAdapter.class,
                    DeviceBackend.class,
                    SnapshotStore.class,
                    SharedStore.class,
                    CacheListener.class,
                    TraceExporter.class);

    private final Object target;
    private final PluginOrigin origin;
    private final VarveException.Kind failure;

    private PluginCalls(Object target, PluginOrigin origin, VarveException.Kind failure) {
        this.target = target;
        this.origin = origin;
        this.failure = failure;
    }

    /** Returns the provider behind a guard. */
    static <T> T guard(PluginServiceKind<T> spi, T provider, PluginOrigin origin) {
        PluginCalls calls = new PluginCalls(provider, origin, spi.trouble().kind());
        return spi.service().cast(calls.proxy(spi.service()));
    }

    @Override
    public String module() {
        return origin.module();
    }

    private Object proxy(Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this);
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> target.getClass().getName() + " of " + origin;
            };
        }
        Object result;
        try (PluginSystemExit.Scope _ = PluginSystemExit.calling(origin.file(), name(method))) {
            result = method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw allowed(method, e.getCause()) ? e.getCause() : fails(method, e.getCause());
        }
        Class<?> type = method.getReturnType();
        if (result == null && type != void.class) {
            throw new VarveException(failure, called(method) + " returned null");
        }
        return OPENED.contains(type)
                ? new PluginCalls(result, origin, failure).proxy(type)
                : result;
    }

    /**
     * Whether a method records a graph. The graph belongs to the server and reports more about an
     * error; its exceptions pass through the family.
     */
    private static boolean records(Method method) {
        return method.getDeclaringClass() == LayerSplitAdapter.class
                && method.getReturnType() == void.class;
    }

    /** Whether callers expect any failure of this method as an {@link IOException}. */
    private static boolean failsAsIo(Method method) {
        return OPENED.contains(method.getDeclaringClass())
                && Arrays.asList(method.getExceptionTypes()).contains(IOException.class);
    }

    private static boolean allowed(Method method, Throwable problem) {
        return records(method)
                || problem instanceof VarveException && !failsAsIo(method)
                || PluginRejectedException.isOfTheMachine(problem)
                || Arrays.stream(method.getExceptionTypes())
                        .anyMatch(type -> type.isInstance(problem));
    }

    private Exception fails(Method method, Throwable problem) {
        String message = called(method) + " fails: " + PluginRejectedException.reasonOf(problem);
        return failsAsIo(method)
                ? new IOException(message, problem)
                : new VarveException(failure, message, problem);
    }

    private String called(Method method) {
        return origin + ": " + name(method);
    }

    private String name(Method method) {
        return target.getClass().getName() + "." + method.getName();
    }
}
