"""Secrets that the syntax of a program or of a configuration tells go whole, and not by their shape."""

from __future__ import annotations

import pytest

from bardo.bequeath.privacy.redact import Redactor
from helpers.redaction import assert_secret_goes


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("curl -u deploy:Wet-Slate9 https://ci.example/api", "Wet-Slate9"),
        ("curl -sS --user 'ops:tarn&moss' -X POST https://x.example", "tarn&moss"),
        ("docker login -u ci -p gullwing-44-pear registry.example", "gullwing-44-pear"),
        ("openssl enc -d -aes-256-cbc -in b.enc -passin pass:oldTrout", "oldTrout"),
        ('echo "root:kettle-drum" | chpasswd', "kettle-drum"),
        ("printf '%s' 'ash and ember' | cryptsetup open /dev/sda2 data", "ash and ember"),
        ("sqlcmd -S db01 -U sa -P tall!Heron", "tall!Heron"),
        ("redis-cli -h cache -a mossyrock ping", "mossyrock"),
        ("7z x backup.7z -pquietharbor", "quietharbor"),
        ("ssh-keygen -t ed25519 -N 'bright lime' -f id", "bright lime"),
        ('psql "host=db user=app password=rainhat dbname=x"', "rainhat"),
        ("export STRIPE_WEBHOOK_SECRET=plumcake", "plumcake"),
        ('DB_PASSWORD="very plain words here"', "very plain words here"),
        ("spring.datasource.password=cobblestone", "cobblestone"),
        ("  adminPassword: tangerine", "tangerine"),
        ('"client_secret": "lowtide",', "lowtide"),
        ("ENCRYPTION_KEY: 'sedge-warbler-nest'", "sedge-warbler-nest"),
        ("<password>dovetail</password>", "dovetail"),
        ("CREATE USER app IDENTIFIED BY 'fernleaf';", "fernleaf"),
        ("ALTER ROLE app WITH PASSWORD 'fernleaf';", "fernleaf"),
        ("sshd: Failed password for bob, tried=Autumn2024 from 10.0.0.2", "Autumn2024"),
        ("auth failure: supplied='maple door' expected hash", "maple door"),
        ("./deploy --api-key plumtree --env prod", "plumtree"),
        ("ldapsearch -D cn=admin -w flintlock -b dc=x", "flintlock"),
        ("unzip -P larkspur docs.zip", "larkspur"),
        ("mosquitto_pub -h mq -u dev -P saltmarsh -t a", "saltmarsh"),
        ("sudo -S reboot <<< 'hazelnut'", "hazelnut"),
        ("nmcli dev wifi connect Barn password hayloft", "hayloft"),
        ("keytool -genkey -storepass lanternfish -alias x", "lanternfish"),
    ],
)
def test_secrets_of_fields_and_commands_never_cross(text, secret):
    assert_secret_goes(text, secret)


@pytest.mark.parametrize(
    "text",
    [
        "docker run -p 8080:80 nginx",
        "mkdir -p /srv/data && cp -a x y",
        "openssl rsa -in k.pem -passin file:/run/pw -out o.pem",
        "echo hello | grep h",
        "echo $PW | sudo -S apt update",
        "password_file: /etc/app/pw.txt",
        "secretName: tls-wildcard",
        "password: {{ vault_db_password }}",
        "DB_PASSWORD=$(pass show db)",
        "pass: 41, fail: 3, skip: 2",
        "The secret: practise every day.",
        "token: USDC",
        "cache_key: user-profile-v2",
        "sort_key=created_at, partition_key=tenant-id",
        "api_key_header: X-Api-Key",
        "password: required, at least 12 characters",
        "passwordless: true; compass: north; passenger: Lena-2",
        "login failed for user=mpatel src=10.1.1.1 method=ldap",
        "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
        "Use secretsmanager: db/prod/password for it",
        "pin_count: 40, pin_numbering=gpio-bcm",
        "license: Apache-2.0",
        'npm config: "license": "BSD-3-Clause"',
        "Boarding pass: seat 14C; bus pass: zone-3",
        "csrf_token_name = csrf-field",
        "Token: erc-20",
    ],
)
def test_settings_references_and_public_terms_stay_as_they_are(text):
    assert Redactor(personal=True).text(text) == text
