package dev.varve.plugin.otlp.export;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;

import java.util.ArrayList;
import java.util.List;

/** Collects ended spans until they are taken. For one thread. */
final class SpanCollection implements SpanProcessor {
    private List<SpanData> spans = new ArrayList<>();

    /** Returns all spans that ended since the last call. */
    List<SpanData> take() {
        List<SpanData> taken = spans;
        spans = new ArrayList<>();
        return taken;
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
        // A span that starts has no data to keep yet.
    }

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        spans.add(span.toSpanData());
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }
}
