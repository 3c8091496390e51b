# The server of Gieok: pages, API, MCP. Everything it keeps is in /data. How to use it: docs/docker.md.
FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements-image.lock ./
RUN python -m venv /opt/gieok && /opt/gieok/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements-image.lock
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
RUN /opt/gieok/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim
RUN useradd --uid 10001 --home-dir /data --create-home gieok
COPY --from=build /opt/gieok /opt/gieok
ENV PATH=/opt/gieok/bin:$PATH GIEOK_HOME=/data/.gieok GIEOK_SERVE_HOST=0.0.0.0
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8377
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8377/health')"]
ENTRYPOINT ["gieok"]
CMD ["serve"]
