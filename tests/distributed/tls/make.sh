#!/bin/bash
# Makes the certificates of the tests: an authority, and a task on localhost that it vouches for.
set -e
cd "$(dirname "$0")"
days=36500
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $days \
    -subj "/CN=Headwater test authority" -keyout authority.key -out authority.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=localhost" \
    -keyout task.key -out task.csr
openssl x509 -req -in task.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days $days \
    -extfile <(echo "subjectAltName=DNS:localhost") -out task.pem
rm authority.key authority.srl task.csr
