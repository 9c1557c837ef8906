package dev.varve.plugin.otlp;

import dev.varve.api.telemetry.TraceExporterProvider;
import dev.varve.contracts.TraceExporterContract;

import java.net.URI;

class OtlpContractTest extends TraceExporterContract {
    @Override
    protected TraceExporterProvider provider() {
        return new OtlpProvider();
    }

    @Override
    protected URI endpoint(int port) {
        return URI.create("http://127.0.0.1:" + port);
    }
}
