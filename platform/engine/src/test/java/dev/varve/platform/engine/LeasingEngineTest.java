package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

class LeasingEngineTest {
    /** The default of a method would hide what the other engine can do. */
    @Test
    void everyMethodIsThatOfTheOtherEngine() throws Exception {
        Set<String> inherited = methods(Engine.class);
        // It calls the other form of the method, which is overridden.
        inherited.remove(
                Engine.class
                        .getMethod("submit", GenerationRequest.class, GenerationListener.class)
                        .toString()
                        .replaceFirst(".*\\.submit", "submit"));

        inherited.removeAll(methods(LeasingEngine.class));

        assertEquals(Set.of(), inherited);
    }

    private static Set<String> methods(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(
                        method ->
                                !method.isSynthetic() && !Modifier.isStatic(method.getModifiers()))
                .map(Method::toString)
                .map(text -> text.replaceFirst("^[^(]*\\.(?=[a-zA-Z]+\\()", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
