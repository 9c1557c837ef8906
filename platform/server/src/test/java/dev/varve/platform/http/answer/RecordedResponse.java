package dev.varve.platform.http.answer;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Keeps what is written as an answer. */
final class RecordedResponse {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final Map<String, String> headers = new HashMap<>();
    private int status;

    int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }

    String text() {
        return body.toString(StandardCharsets.UTF_8);
    }

    HttpServletResponse response() {
        return (HttpServletResponse)
                Proxy.newProxyInstance(
                        RecordedResponse.class.getClassLoader(),
                        new Class<?>[] {HttpServletResponse.class},
                        (proxy, method, arguments) -> called(method.getName(), arguments));
    }

    private Object called(String method, Object[] arguments) {
        switch (method) {
            case "setStatus" -> status = (int) arguments[0];
            case "setContentType" -> headers.put("Content-Type", (String) arguments[0]);
            case "setHeader" -> headers.put((String) arguments[0], (String) arguments[1]);
            case "setContentLength", "setCharacterEncoding" -> {}
            case "getOutputStream" -> {
                return new Out();
            }
            default -> throw new AssertionError("nobody calls " + method);
        }
        return null;
    }

    private final class Out extends ServletOutputStream {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new AssertionError("nobody listens");
        }

        @Override
        public void write(int value) {
            body.write(value);
        }
    }
}
