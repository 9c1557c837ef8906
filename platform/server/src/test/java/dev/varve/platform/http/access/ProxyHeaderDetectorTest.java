package dev.varve.platform.http.access;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.eclipse.jetty.http.HttpFields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

class ProxyHeaderDetectorTest {
    private static HttpFields with(String name) {
        return HttpFields.build().put("Host", "localhost").put(name, "x");
    }

    @ParameterizedTest
    @CsvSource({
        "Forwarded, true",
        "X-Forwarded-For, true",
        "x-forwarded-proto, true",
        "X-FORWARDED-HOST, true",
        "X-Real-IP, true",
        "Via, true",
        "Accept, false",
        "X-Forwarded, false"
    })
    void proxiesAreDetectedByTheirHeaders(String name, boolean proxy) {
        assertEquals(proxy, ProxyHeaderDetector.areIn(with(name)), name);
    }

    @Test
    void proxyWarningIsLoggedOnce() {
        List<String> lines = new ArrayList<>();
        Handler handler =
                new Handler() {
                    @Override
                    public void publish(LogRecord line) {
                        lines.add(line.getMessage());
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        Logger logger = Logger.getLogger("dev.varve.http");
        logger.addHandler(handler);
        try {
            ProxyHeaderDetector proxies = new ProxyHeaderDetector();
            proxies.warnOnce(with("Accept"));
            proxies.warnOnce(with("Via"));
            proxies.warnOnce(with("X-Forwarded-For"));
        } finally {
            logger.removeHandler(handler);
        }

        assertEquals(1, lines.stream().filter(line -> line.startsWith("a proxy forwards")).count());
    }
}
